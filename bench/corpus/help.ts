/** Prints how a bench is called and ends the process: with 0 where that was asked for, else with 1. */
export const endWithHelp: (help: string, isAsked: boolean) => never = (help, isAsked) => {
  process.stdout.write(help)
  process.exit(isAsked ? 0 : 1)
}
