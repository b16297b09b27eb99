/**
 * Moves the kernels' constants out of their loops. A constant lies in memory and is broadcast where it is used
 * (`kernels/common/broadcast.ts`). Neither Binaryen nor V8 moves such a load past the stores of a loop, since a store might overwrite it.
 * In our kernels none does.
 */

/** An S-expression of the WASM text format. */
type Node = string | Node[]

/** Parses the text of a module; comments are not expected, for Binaryen writes none. */
const parse = (text: string): Node[] => {
  const stack: Node[][] = [[]]
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|[()]|[^\s()"]+/g)) {
    if (token === '(') stack.push([])
    else if (token === ')') stack.at(-2)!.push(stack.pop()!)
    else stack.at(-1)!.push(token)
  }
  return stack[0]!
}

const print = (node: Node): string => (typeof node === 'string' ? node : `(${node.map(print).join(' ')})`)

const isA = (node: Node, name: string): node is Node[] => Array.isArray(node) && node[0] === name

const some = (node: Node, test: (node: Node) => boolean): boolean =>
  test(node) || (Array.isArray(node) && node.some((child) => some(child, test)))

/** A broadcast from a literal address: its last operand is that address. */
const isConstant = (node: Node): boolean => isA(node, 'v128.load32_splat') && isA(node.at(-1)!, 'i32.const')

/** Only loops without loops and calls: more constants would not stay in registers for long. */
const isInnermost = (loop: Node[]): boolean =>
  !loop.some((child) => some(child, (node) => ['loop', 'call', 'call_indirect'].some((name) => isA(node, name))))

/** The same function with each constant of an innermost loop read before it, into a local. */
const hoistFrom = (func: Node[]): Node[] => {
  let locals = 0
  const visit = (node: Node): Node => {
    if (typeof node === 'string') return node
    if (node[0] !== 'loop' || !isInnermost(node)) return node.map(visit)
    const names = new Map<string, string>()
    const replace = (inner: Node): Node => {
      if (typeof inner === 'string') return inner
      if (!isConstant(inner)) return inner.map(replace)
      const key = print(inner)
      if (!names.has(key)) names.set(key, `$constant${locals++}`)
      return ['local.get', names.get(key)!]
    }
    const loop = replace(node) as Node[]
    const sets = [...names].map(([load, name]): Node => ['local.set', name, parse(load)[0]!])
    const result = loop.filter((child) => isA(child, 'result'))
    return sets.length > 0 ? ['block', ...result, ...sets, loop] : loop
  }
  const visited = func.map(visit)
  const body = visited.findIndex(
    (child) => Array.isArray(child) && !['type', 'param', 'result', 'local', 'export'].includes(String(child[0])),
  )
  const declared = Array.from({ length: locals }, (_, index): Node => ['local', `$constant${index}`, 'v128'])
  return [...visited.slice(0, body), ...declared, ...visited.slice(body)]
}

/** The text of a module (as Binaryen writes it) with the constants of its loops read before them. */
export const hoistConstants = (text: string): string =>
  parse(text)
    .map((module) => print((module as Node[]).map((part) => (isA(part, 'func') ? hoistFrom(part) : part))))
    .join('\n')
