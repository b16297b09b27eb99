/** Invalid command line. `message` is one plain sentence, and the exit status is 2. */
export class WrongUsage extends Error {}
