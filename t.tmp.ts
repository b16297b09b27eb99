import { optimiseSvg } from './src/svg/optimise-svg.ts'
import { deadlineIn } from './src/core/deadline.ts'
for (const f of ['librsvg__bug515-pattern-billion-laughs','librsvg__bug323-nested-use']) {
const t=performance.now(); const r=await optimiseSvg({path:`/work/shared/corpus/svg/${f}.svg`, facts:{format:'svg',width:600,height:600,frames:1,alpha:true,orientation:1,profile:'none',bytes:0}, deadline: deadlineIn(30000)}); console.log(f,r.markup.length,r.score,performance.now()-t) }
