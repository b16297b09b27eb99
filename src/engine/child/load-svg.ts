/** Loads the modules for SVG on demand: svgo and css-tree need 270 ms of CPU, and most children never process an SVG. */
export const loadSvg = async () => {
  const [draw, optimise] = await Promise.all([import('../../svg/draw.ts'), import('../../svg/optimise-svg.ts')])
  return { ...draw, ...optimise }
}
