import { make } from './test/motion/request.ts'
import { openChromium } from './test/browser/chromium.ts'
import { readFile } from 'node:fs/promises'
import { openJudge } from './src/judge/judge.ts'
import { openAnimation } from './src/motion/animation.ts'
import { flatten } from './src/pixels/flatten.ts'
const judge = await openJudge()
const b = await openChromium(); const page = await b.newPage()
await page.route('http://localhost/', (r) => r.fulfill({ body: '<html></html>', contentType: 'text/html' }))
await page.goto('http://localhost/')
for (const n of ['sharp__animated-loop-3.gif','image-gif__moon_impact.gif','fastimage__animated_without_gct.gif','/work/shared/corpus/gif-animated/ipx__giphy.gif','image-gif__anim-gr.gif']) {
  const { made, facts } = await make(n, 'avif')
  const data = (await readFile(made.path)).toString('base64')
  const r = await page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0))
    const d = new ImageDecoder({ data: bytes, type: 'image/avif' })
    await d.tracks.ready
    const t = d.tracks.selectedTrack
    const out = [] as number[]; let shot = ''
    for (let i = 0; i < t!.frameCount; i++) { const { image } = await d.decode({ frameIndex: i }); out.push(image.duration! / 1000)
      if (i === t!.frameCount-1) { const c = new OffscreenCanvas(image.displayWidth, image.displayHeight); const x = c.getContext('2d')!; x.drawImage(image,0,0); const p = x.getImageData(0,0,c.width,c.height).data; for (let a = 0; a < p.length; a += 32768) shot += String.fromCharCode(...p.subarray(a, a+32768)) } }
    return { n: t!.frameCount, rep: t!.repetitionCount, out, shot: btoa(shot) }
  }, data).catch((e: Error) => ({ n: e.message, rep: 0, out: [], shot: '' }))
  const a = await openAnimation(n.startsWith('/') ? n : 'test/fixtures/motion/'+n, { format: 'gif' })
  const [last] = await a.read(a.frames-1, 1)
  let s: unknown = ''
  try { s = judge.prepare({ ...flatten(last!, 'transparent') }).compare(flatten({ width: made.width, height: made.height, channels: 4, data: Buffer.from(r.shot, 'base64') }, 'transparent')) } catch (e) { s = (e as Error).message }
  console.log(n, facts.bytes, made.bytes, r.n, r.rep, r.out.join(), a.delays.join(), s)
}
await b.close()
