/** Loads the modules for drawings. svgo and css-tree take 270 ms of CPU to load, and most children never see a drawing. */
export const loadSvg = async () => {
  const [draw, optimise] = await Promise.all([import('../../svg/draw.ts'), import('../../svg/optimise-svg.ts')])
  return { ...draw, ...optimise }
}
