/** Hears how many milliseconds a stage of the work took. */
export interface StageReport {
  readonly stage: (name: string, ms: number) => void
}

/** Runs one stage of the work and reports how long it took, however it ended. */
export const staged = async <T>(report: StageReport, name: string, work: () => Promise<T> | T): Promise<T> => {
  const since = performance.now()
  try {
    return await work()
  } finally {
    report.stage(name, performance.now() - since)
  }
}
