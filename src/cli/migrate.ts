interface Output {
  readonly write: (text: string) => unknown
}

/** What `whittle migrate` acts on. */
export interface MigrateSurroundings {
  /** Opens the accounts, which brings their tables up to date; `onMigrated` hears what was run. */
  readonly open: (onMigrated: (names: readonly string[]) => void) => Promise<{ readonly close: () => Promise<void> }>
  readonly stdout: Output
  readonly stderr: Output
}

/** Runs `whittle migrate`: brings the tables of the accounts up to date; resolves to the exit status, 0 or 1. */
export const runMigrate = async ({ open, stdout, stderr }: MigrateSurroundings): Promise<number> => {
  const ran: string[] = []
  try {
    const accounts = await open((names) => ran.push(...names))
    await accounts.close()
  } catch (error) {
    stderr.write(`whittle: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
  stdout.write(ran.length === 0 ? 'The tables are up to date.\n' : `Brought up to date: ${ran.join(', ')}.\n`)
  return 0
}
