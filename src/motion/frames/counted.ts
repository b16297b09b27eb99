/** Passes all items on and reports their number: 0 at the beginning, then after each. */
export async function* counted<T>(items: AsyncIterable<T>, report: (done: number) => void): AsyncGenerator<T> {
  let done = 0
  report(done)
  for await (const item of items) {
    yield item
    done += 1
    report(done)
  }
}
