/** A part of README that the landing page shows: what stands under one heading. */
const partOf = (readme: string, heading: string): string => {
  const [, text] = new RegExp(`^## ${heading}\n([\\s\\S]*?)(?=^## |\\Z(?![\\s\\S]))`, 'm').exec(`${readme}\n## `) ?? []
  if (text === undefined) throw new Error(`README has no part "${heading}"`)
  return text.trim()
}

const matchOf = (readme: string, pattern: RegExp, what: string): readonly string[] => {
  const found = pattern.exec(readme)
  if (found === null) throw new Error(`README does not tell ${what}`)
  return found.slice(1)
}

/** A figure of README, large, with what it is. */
const figure = (value: string, label: string): string =>
  `<div><dt>${label}</dt><dd>${value}<small> %</small></dd></div>`

const card = (title: string, text: string, address: string): string =>
  `<a class="card" href="${address}"><strong>${title}</strong><span>${text}</span></a>`

const CARDS = [
  card('In five minutes', 'From a clone to a smaller image on your disk.', './guides/five-minutes.html'),
  card('How quality works', 'What is promised, with pictures of the worst places.', './guides/how-quality-works.html'),
  card('From ImageOptim API', 'Change the base address. That is all.', './guides/from-imageoptim.html'),
  card('From imgproxy', 'Each option, old and new.', './guides/from-imgproxy.html'),
  card('From TinyPNG', 'Its calls and plug-ins, and what takes their place.', './guides/from-tinypng.html'),
  card('From sharp', 'A quality to name in place of a number to guess.', './guides/from-sharp.html'),
  card('WordPress', 'Every upload, made small once.', './guides/wordpress.html'),
  card('Shops', 'Product pictures, one shape, one background.', './guides/shops.html'),
  card('Static sites', 'Before the build, or live from the page.', './guides/static-sites.html'),
  card('CI', 'Fails when a commit adds an image that could be smaller.', './guides/ci.html'),
]

/** The landing page, as Markdown, from README: what it says is shown, and nowhere said twice. */
export const landingPage = (readme: string): string => {
  const [lead = ''] = matchOf(readme, /^# Whittle\n\n([\s\S]*?)\n\n/, 'what this is')
  const [command = ''] = matchOf(readme, /^(```sh\n[\s\S]*?```)$/m, 'how to start')
  const [needs = ''] = matchOf(readme, /^(It needs [^\n]*)$/m, 'what it needs')
  const [picture = '', caption = ''] = matchOf(readme, /^(!\[.*)\n\n(\*.*\*)$/m, 'what its picture shows')
  const [measured = ''] = matchOf(readme, /^(\| images \| against [\s\S]*?)^## /m, 'what was measured')
  const [photographs = '', drawings = '', stored = ''] = matchOf(
    readme,
    /\| mozjpeg \| \*\*(\d+) %[\s\S]*?drawings and screenshots \|[^|]*\| \*\*(\d+) %[\s\S]*?without loss \|[^|]*\| \*\*(\d+) %/,
    'its figures',
  )
  return `---
layout: page
sidebar: false
title: Whittle
titleTemplate: images as small as they can be
---

<main class="landing vp-doc">
<div class="hero">
<div class="claim">

# Images as small as they can&nbsp;be, at a quality you can count on

${lead}

<p class="ways"><a class="button primary" href="./guides/five-minutes.html">In five minutes</a><a class="button" href="./options.html">Options</a><a class="button" href="./guides/how-quality-works.html">How quality works</a></p>
</div>
<div class="start">

${command}

${needs}

</div>
</div>

<dl class="figures">
${figure(photographs, 'smaller than mozjpeg: photographs at the same SSIMULACRA 2.1')}
${figure(drawings, 'smaller than their sources: drawings and screenshots')}
${figure(stored, 'smaller than jpegtran: JPEGs stored again without loss')}
</dl>

<figure class="wide">
<div class="scroll" tabindex="0" role="group" aria-label="Three details side by side">

${picture}

</div>
<figcaption>

${caption}

</figcaption>
</figure>

<section class="card">

## What it promises

${partOf(readme, 'What it promises')}

</section>

<section>

## How it is used

${partOf(readme, 'How it is used')}

</section>

<section>

## What was measured

${measured.trim()}

</section>

<section>

## Where to go on

<nav class="cards" aria-label="Guides">
${CARDS.join('\n')}
</nav>
</section>
</main>
`
}
