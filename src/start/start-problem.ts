/** Why the service cannot start, in a sentence that says what to do. */
export class StartProblem extends Error {}

/** Makes a {@link StartProblem} of an error. */
export const startProblem = (text: string, cause: unknown): StartProblem => new StartProblem(text, { cause })
