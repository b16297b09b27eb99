import {execFileSync} from 'node:child_process'
import { writeFileSync, statSync } from 'node:fs'
import { openAnimation, framesOf } from './src/motion/animation.ts'
import { flatten } from './src/pixels/flatten.ts'
import { sampleFrames } from './src/motion/sampling.ts'
import { openJudge } from './src/judge/judge.ts'
const judge=await openJudge()
const F='node_modules/@ffmpeg-installer/linux-x64/ffmpeg'
for (const f of process.argv.slice(2)) {
  const p='/work/shared/corpus/gif-animated/'+f
  const a=await openAnimation(p,{format:'gif'})
  const W=a.extent.width&~1,H=a.extent.height&~1
  const all:Buffer[]=[]
  for await (const fr of framesOf(a)) { const x=flatten(fr,'transparent'); const o=Buffer.alloc(W*H*3); for(let y=0;y<H;y++) o.set(x.data.subarray(y*x.width*3,y*x.width*3+W*3),y*W*3); all.push(o) }
  const nums=sampleFrames(a.frames,4)
  const refs=nums.map(n=>judge.prepare({data:all[n]!,width:W,height:H,channels:3}))
  writeFileSync('/tmp/raw.bin',Buffer.concat(all))
  for (const c of ['x264','vp9']) for (const crf of c==='x264'?[20,24,28,32,36]:[28,34,40,46,52]) {
    const enc=c==='x264'?['-c:v','libx264','-profile:v','high','-preset','medium','-crf',String(crf)]:['-c:v','libvpx-vp9','-b:v','0','-crf',String(crf),'-row-mt','1','-deadline','realtime','-cpu-used','6']
    execFileSync(F,['-y','-loglevel','error','-f','rawvideo','-pix_fmt','rgb24','-s',`${W}x${H}`,'-framerate','25','-i','/tmp/raw.bin','-vf','scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd+full_chroma_int,format=yuv420p',...enc,'-colorspace','bt709','-color_primaries','bt709','-color_trc','bt709','-color_range','tv','-g','9999','/tmp/o.mkv'])
    const dec=execFileSync(F,['-loglevel','error','-i','/tmp/o.mkv','-vf','scale=in_color_matrix=bt709:in_range=tv:flags=bicubic+accurate_rnd+full_chroma_int','-f','rawvideo','-pix_fmt','rgb24','-vsync','0','pipe:1'],{maxBuffer:1e9})
    console.log(f.slice(0,24),c,crf,(statSync('/tmp/o.mkv').size/statSync(p).size).toFixed(3),nums.map((n,i)=>refs[i]!.compare({data:dec.subarray(n*W*H*3,(n+1)*W*H*3),width:W,height:H,channels:3}).toFixed(1)).join(' '), dec.length/(W*H*3))
  }
}
