import { backUp } from '../start/back-up.ts'
import { settingsOrComplain } from './complain.ts'

interface Output {
  readonly write: (text: string) => unknown
}

interface Streams {
  readonly stdout: Output
  readonly stderr: Output
}

const HELP = `whittle backup <folder>: copies the accounts and the secret from DATA_DIR into a new folder, while the service runs.
Restore: stop the service, copy the files into an empty DATA_DIR, start it. Results can be made again. See docs/backup.md.
`

/** The command `whittle backup`. Resolves with the exit code: 0 success, 1 failure, 2 wrong usage. */
export const backupCommand = async (argv: readonly string[], { stdout, stderr }: Streams): Promise<number> => {
  const [target, ...more] = argv
  if (argv.includes('--help') || argv.includes('-h')) {
    stdout.write(HELP)
    return 0
  }
  if (target === undefined || more.length > 0 || target.startsWith('-')) {
    stderr.write(`whittle: Name the folder of the backup.\n${HELP}`)
    return 2
  }
  const settings = settingsOrComplain()
  if (settings === undefined) return 1
  try {
    if (settings.databaseUrl !== undefined)
      throw new Error('The accounts lie in the database of DATABASE_URL: back it up with pg_dump. See docs/backup.md.')
    const names = await backUp(settings.dataDir, target)
    stdout.write(`${target}: ${names.join(', ')}\n`)
    return 0
  } catch (error) {
    stderr.write(`whittle: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}
