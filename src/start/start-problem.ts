/** The service cannot start. The message says why and what to do. */
export class StartProblem extends Error {}

/** Creates a {@link StartProblem} from an error. */
export const startProblem = (text: string, cause: unknown): StartProblem => new StartProblem(text, { cause })
