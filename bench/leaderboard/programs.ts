import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cjpegli, type EyePeer, type Program, programPeer } from '../eye/peers.ts'
import { pixelsOfJxl } from '../eye/shown-pixels.ts'

/** Programs by the format that they write. */
const PROGRAMS: Readonly<Record<string, readonly Program[]>> = {
  jpeg: [cjpegli('420'), cjpegli('444')],
  jxl: [
    {
      name: 'cjxl -e 7',
      command: 'cjxl',
      extension: 'jxl',
      alpha: false,
      decode: pixelsOfJxl,
      args: (source, made, quality) => [source, made, '-q', `${quality}`, '-e', '7', '--num_threads=1'],
    },
  ],
  png: [
    {
      name: 'pngquant 80',
      command: 'pngquant',
      extension: 'png',
      alpha: true,
      fixed: 80,
      args: (source, made, quality) => ['--speed', '1', '--quality', `0-${quality}`, '--output', made, source],
    },
  ],
}

/** The path of a program, where the machine has it. */
export const findProgram = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })

/** The programs of this machine that write a format. */
export const programsFor = (format: string): EyePeer[] =>
  (PROGRAMS[format] ?? []).flatMap((program) => {
    const path = findProgram(program.command)
    return path === undefined ? [] : [programPeer({ ...program, command: path })]
  })
