// Loaded before a node by --import: its clock is wrong by the given ms.
const SKEW_MS = Number(process.env['SKEW_MS'] ?? 0)
const Right = Date

globalThis.Date = class extends Right {
  constructor(...given) {
    if (given.length === 0) super(Right.now() + SKEW_MS)
    else super(...given)
  }
  static now() {
    return Right.now() + SKEW_MS
  }
}
