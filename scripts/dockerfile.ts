/** One instruction of a Dockerfile; `from` is the stage that COPY takes from, or the image or stage of FROM. */
export interface Instruction {
  readonly name: string
  readonly args: readonly string[]
  readonly from?: string
  /** The stage that it belongs to, or that it begins. */
  readonly stage: string
}

/** Reads the instructions of a Dockerfile; stages without a name are called by their number. */
export const readDockerfile = (text: string): readonly Instruction[] => {
  const lines = text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  let stage = ''
  let count = 0
  return lines.map((line) => {
    const [name = '', ...words] = line.trim().split(/\s+/)
    if (name === 'FROM') {
      stage = words[1] === 'AS' ? (words[2] ?? '') : String(count)
      count += 1
      return { name, args: words, from: words[0] ?? '', stage }
    }
    const flag = words.find((word) => word.startsWith('--from='))
    const args = words.filter((word) => !(name === 'COPY' && word.startsWith('--')))
    return { name, args, stage, ...(flag === undefined ? {} : { from: flag.slice('--from='.length) }) }
  })
}

/** The instructions of one stage, without its FROM. */
export const stageOf = (instructions: readonly Instruction[], stage: string): readonly Instruction[] =>
  instructions.filter((one) => one.stage === stage && one.name !== 'FROM')
