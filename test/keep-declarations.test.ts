import { expect, it } from 'vitest'
import { reachableFrom } from '../scripts/keep-declarations.ts'

it('keeps the declarations that the entries reach, in every form of import, and no others', () => {
  const files: Readonly<Record<string, string>> = {
    'library/a.d.ts': "import { type B } from './b.ts';\nexport type { C } from '../core/c.ts';\nimport 'sharp';",
    'library/b.d.ts': "export declare const d: import('../core/d.ts').D;\nimport type { A } from './a.ts';",
    'core/c.d.ts': 'export type C = 1;',
    'core/d.d.ts': "import '../core/c.ts';",
    'core/unused.d.ts': "import '../library/a.ts';",
  }
  expect([...reachableFrom(['library/a.d.ts'], (path) => files[path]!)].toSorted()).toEqual([
    'core/c.d.ts',
    'core/d.d.ts',
    'library/a.d.ts',
    'library/b.d.ts',
  ])
})
