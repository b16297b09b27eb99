/** ms without a keystroke after which the page asks the service. Chosen, not measured. */
export const TYPING_PAUSE_MS = 500
