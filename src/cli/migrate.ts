interface Output {
  readonly write: (text: string) => unknown
}

/** Dependencies of `whittle migrate`. */
export interface MigrateContext {
  /** Opens the accounts, which updates their tables. `onMigrated` receives the executed migrations. */
  readonly open: (onMigrated: (names: readonly string[]) => void) => Promise<{ readonly close: () => Promise<void> }>
  readonly stdout: Output
  readonly stderr: Output
}

/** Runs `whittle migrate`, which updates the tables of the accounts. Resolves with the exit status, 0 or 1. */
export const runMigrate = async ({ open, stdout, stderr }: MigrateContext): Promise<number> => {
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
