import { encodeAs } from './test/engine/search-format.ts'
