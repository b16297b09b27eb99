import { describe, expect, it } from 'vitest'
import { contentDisposition, resultFileName } from './file-name.ts'

describe('the file name of a result', () => {
  it.each([
    ['https://example.com/a/photo.png', 'jpg', 'photo.jpg'],
    ['https://example.com/a/two.dots.png', 'webp', 'two.dots.webp'],
    ['https://example.com/sch%C3%B6n%20b.png', 'jpg', 'schön b.jpg'],
    ['https://example.com/%ZZ.png', 'jpg', '-ZZ.jpg'.slice(1)],
    ['https://example.com/', 'png', 'image.png'],
    ['https://example.com/..%2f..%2fetc%2fpasswd', 'png', 'etc-passwd.png'],
    ['C:\\pictures\\a "b".png', 'gif', 'a -b-.gif'],
    ['.htaccess', 'png', 'htaccess.png'],
    ['a\r\nSet-Cookie: x.png', 'png', 'a--Set-Cookie- x.png'],
    [`${'x'.repeat(500)}.png`, 'jpg', `${'x'.repeat(80)}.jpg`],
    ['https://example.com/evil.exe%EF%BC%82.jpg', 'jpg', 'evil.exe-.jpg'],
    ['https://example.com/a%EF%BC%8F..%EF%BC%8F..%EF%BC%8F.bashrc', 'jpg', 'a-..-..-.jpg'],
  ])('%j with the extension %s becomes %j', (source, extension, name) =>
    expect(resultFileName(source, extension)).toBe(name))
})

describe('Content-Disposition', () => {
  it.each([
    ['photo.jpg', 'inline; filename="photo.jpg"'],
    ['schön.jpg', `inline; filename="schon.jpg"; filename*=UTF-8''sch%C3%B6n.jpg`],
    ['写真.png', `inline; filename="image.png"; filename*=UTF-8''%E5%86%99%E7%9C%9F.png`],
    ['evil.exe\uff02.jpg', `inline; filename="evil.exe-.jpg"; filename*=UTF-8''evil.exe%EF%BC%82.jpg`],
  ])('names the file %s in ASCII and in UTF-8', (name, header) => expect(contentDisposition(name)).toBe(header))
})
