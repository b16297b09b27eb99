/** The logistic function: the probability 0..1 of a logit. */
export const logistic = (logit: number): number => 1 / (1 + Math.exp(-logit))
