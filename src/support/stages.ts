/** Receives the milliseconds of each stage. */
export interface StageReport {
  readonly stage: (name: string, ms: number) => void
}

/** Runs one stage and reports its duration, also when it fails. */
export const staged = async <T>(report: StageReport, name: string, work: () => Promise<T> | T): Promise<T> => {
  const since = performance.now()
  try {
    return await work()
  } finally {
    report.stage(name, performance.now() - since)
  }
}
