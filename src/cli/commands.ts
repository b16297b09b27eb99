/** Every command with its description. Help, completion and the manual page come from this table. */
export const CLI_COMMANDS = {
  optimise: 'make files as small as they can be, in folders or in place',
  compare: 'score how like two images are',
  audit: 'find images of a page, a site or a folder that could be smaller',
  mcp: 'serve optimise, compare, explain and audit to an agent (Model Context Protocol)',
  explain: 'say how an option list is read',
  serve: 'serve the HTTP interface',
  try: 'serve with the account "demo", for trying it out on this machine',
  accounts: 'add, list, set and remove accounts; keys for signed addresses',
  migrate: 'bring the database of the accounts up to date (serve does so by itself)',
  backup: 'copy the accounts and the secret while the service runs',
  completion: 'print completion for bash, zsh or fish',
  man: 'print the manual page',
} as const
