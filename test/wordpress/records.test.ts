import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import sharp from 'sharp'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { FIXTURES } from '../http/start.ts'
import { scratchDirectory } from '../scratch.ts'

const STUB = resolve(import.meta.dirname, 'stub.php')
const scratch = await scratchDirectory('wordpress-records')

let answers: { readonly jpeg: string; readonly webp: string }
let photo: Buffer
let uploads: string

beforeAll(async () => {
  const pixels = sharp(join(FIXTURES, 'jpeg/kodim23-190x158.png'))
  photo = await pixels.jpeg({ quality: 95 }).toBuffer()
  answers = { jpeg: join(scratch, 'answer.jpg'), webp: join(scratch, 'answer.webp') }
  await pixels.jpeg({ quality: 50 }).toFile(answers.jpeg)
  await pixels.webp({ quality: 50 }).toFile(answers.webp)
})

beforeEach(() => {
  uploads = mkdtempSync(join(scratch, 'uploads-'))
  for (const id of [1, 2]) writeFileSync(join(uploads, `photo-${id}.jpg`), photo)
})

/** Runs PHP with the classes of the plug-in and a service that answers with our files; returns what it prints as JSON. */
const php = (code: string): unknown => {
  const service = `$GLOBALS['answer'] = static fn( $url ) => file_get_contents( strpos( $url, 'format=webp' ) ? '${answers.webp}' : '${answers.jpeg}' );`
  const script = `require '${STUB}'; ${service} ${code}`
  return JSON.parse(
    execFileSync('php', ['-d', 'error_reporting=E_ALL', '-r', script, '--', uploads], { encoding: 'utf8' }),
  )
}
const RUN = 'Whittle\\Queue::add( 1 ); Whittle\\Worker::run();'
const STATE = 'echo json_encode( array( Whittle\\Record::state( 1 ), Whittle\\Record::read( 1 ) ) );'
const bytesOf = (name: string): Buffer => readFileSync(join(uploads, name))

it('leaves a file alone that has the name of a variant, also when it restores and discards', () => {
  writeFileSync(join(uploads, 'photo-1.jpg.webp'), 'another upload')
  expect(php(`${RUN} ${STATE}`)).toEqual(['done', expect.objectContaining({ served: [] })])
  expect(bytesOf('photo-1.jpg.webp').toString()).toBe('another upload')
  expect(bytesOf('photo-1.jpg').equals(readFileSync(answers.jpeg))).toBe(true)
  php(`${RUN} Whittle\\Job::restore( 1 ); ${RUN} Whittle\\Job::discard( 1 ); ${STATE}`)
  expect(bytesOf('photo-1.jpg.webp').toString()).toBe('another upload')
})

it('serves a variant that a process wrote before it was ended', () => {
  writeFileSync(join(uploads, 'photo-1.jpg.webp'), readFileSync(answers.webp))
  expect(php(`${RUN} ${STATE}`)).toEqual(['done', expect.objectContaining({ served: ['webp'] })])
})

it('knows its variants when it tries an image again that had a problem', () => {
  const again = `$data = Whittle\\Record::read( 1 ); $data['files']['photo-1.jpg']['problem'] = 'x'; Whittle\\Record::write( 1, $data );`
  expect(php(`${RUN} ${again} ${RUN} ${STATE}`)).toEqual(['done', expect.objectContaining({ served: ['webp'] })])
})

it('restores an image on which another plug-in threw an error', () => {
  const failing = `$GLOBALS['answer'] = static fn() => throw new Error( 'of a hook' );`
  const two = `$GLOBALS['options']['whittle_settings']['avif'] = true;`
  const [state, data] = php(
    `Whittle\\Queue::add( 1 ); ( new Whittle\\Job( 1, Whittle\\Settings::all() ) )->step(); ( new Whittle\\Job( 1, Whittle\\Settings::all() ) )->step(); ${two} ${failing} Whittle\\Worker::run(); ${STATE}`,
  ) as [string, { files: object }]
  expect([state, Object.keys(data.files)]).toEqual(['failed', ['photo-1.jpg', '']])
  php(
    `Whittle\\Record::write( 1, json_decode( '${JSON.stringify(data)}', true ) ); echo json_encode( Whittle\\Job::restore( 1 ) );`,
  )
  expect([bytesOf('photo-1.jpg').equals(photo), readdirSync(uploads)]).toEqual([
    true,
    ['photo-1.jpg', 'photo-2.jpg', 'whittle-originals'],
  ])
})

it('keeps the original when a hook throws after the file was replaced, and when the image is tried again', () => {
  const failing = `Whittle\\Queue::add( 1 ); $GLOBALS['update_hook'] = static function ( $key, $value ) {
      if ( '_whittle' === $key && isset( $value['files']['photo-1.jpg']['after'] ) ) {
        $GLOBALS['update_hook'] = static fn() => null;
        throw new Error( 'of a hook' );
      }
    }; Whittle\\Worker::run(); $first = Whittle\\Record::state( 1 );`
  const result = 'echo json_encode( array( $first, Whittle\\Record::state( 1 ), Whittle\\Record::read( 1 ) ) );'
  expect(php(`${failing} ${RUN} ${result}`)).toEqual(['failed', 'done', expect.objectContaining({ served: ['webp'] })])
  expect(bytesOf('photo-1.jpg').equals(readFileSync(answers.jpeg))).toBe(true)
  expect(bytesOf('whittle-originals/photo-1.jpg').equals(photo)).toBe(true)
})

it('works on others when an image ends its process, and gives that one up in the end', () => {
  const died = `$GLOBALS['options']['whittle_lock'] = time() - 1;`
  const queue = `$seen[] = Whittle\\Queue::next();`
  const code = `Whittle\\Queue::add( 1 ); Whittle\\Queue::add( 2 ); ${queue}
    ${died} Whittle\\Worker::run( 0 ); ${queue}
    Whittle\\Worker::run(); Whittle\\Queue::add( 1 );
    for ( $i = 0; $i < 3; $i++ ) { ${queue} ${died} Whittle\\Worker::run( 0 ); }
    ${queue} echo json_encode( array( $seen, Whittle\\Record::problem( Whittle\\Record::read( 1 ) ) ) );`
  expect(php(code)).toEqual([[1, 2, 1, 1, 1, null], expect.stringContaining('memory limit of PHP')])
})

it('goes on with an image on which processes ended, as long as each finishes a file', () => {
  const died = `$GLOBALS['options']['whittle_lock'] = time() - 1; Whittle\\Worker::run( 0 );`
  const oneStep = `$GLOBALS['answer'] = static function () {
      $GLOBALS['options']['whittle_paused'] = 1;
      return file_get_contents( '${answers.webp}' );
    }; Whittle\\Worker::run(); unset( $GLOBALS['options']['whittle_paused'] );`
  const code = `Whittle\\Queue::add( 1 ); ${died} ${died} ${oneStep} ${died} ${died}
    echo json_encode( array( Whittle\\Queue::next(), array_keys( Whittle\\Record::read( 1 )['files'] ) ) );`
  expect(php(code)).toEqual([1, ['photo-1.jpg']])
})

it('wraps a tag whose text holds ">", and leaves one alone that was cut off there', () => {
  const wrap = (html: string): unknown =>
    php(
      `Whittle\\Record::write( 1, array( 'served' => array( 'webp' ), 'files' => array( 'photo-1.jpg' => array( 'variants' => array( 'webp' => 9 ) ) ) ) ); echo json_encode( Whittle\\Delivery::wrap( '${html}', 1 ) );`,
    )
  expect(wrap('<img src="/photo-1.jpg" alt="a > b">')).toMatch(/alt="a > b"><\/picture>$/)
  expect(wrap('<img src="/photo-1.jpg" alt="a >')).toBe('<img src="/photo-1.jpg" alt="a >')
  expect(existsSync(join(uploads, 'photo-1.jpg'))).toBe(true)
})
