/** Passes everything on, and tells how much has gone by: 0 at the beginning, then after each. */
export async function* counted<T>(items: AsyncIterable<T>, tell: (done: number) => void): AsyncGenerator<T> {
  let done = 0
  tell(done)
  for await (const item of items) {
    yield item
    done += 1
    tell(done)
  }
}
