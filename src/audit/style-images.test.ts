import { expect, it } from 'vitest'
import { imagesOfDeclarations, imagesOfStyles } from './style-images.ts'

it('finds images of a style sheet, also in media queries and image-set, but no fonts', () => {
  const css = `@import url("a.css"); @import 'b.css' print; @font-face { src: url(f.woff2) }
    h1 { background: url(1.png) no-repeat, url("2.jpg") } @media print { p { list-style-image: url(3.gif) } }
    div { background-image: image-set(url(4.avif) 1x, url(5.avif) 2x); --hero: url(6.webp) }`
  expect(imagesOfStyles(css)).toEqual({
    images: ['1.png', '2.jpg', '3.gif', '4.avif', '5.avif', '6.webp'],
    imports: ['a.css', 'b.css'],
  })
})

it('reads the intact parts of a damaged style sheet', () => {
  expect(imagesOfStyles('h1 { background: url(1.png); } p { color: } } x {').images).toEqual(['1.png'])
})

it('reads declarations of a style attribute', () => {
  expect(imagesOfDeclarations("background:url('a b.png'); color: red")).toEqual(['a b.png'])
  expect(imagesOfDeclarations('color: red')).toEqual([])
})
