/** Attributes of an element. `on` has listeners by event name. False and undefined omit an attribute. */
export interface Attributes {
  readonly on?: Readonly<Record<string, (event: Event) => void>>
  readonly [name: string]: string | number | boolean | undefined | Readonly<Record<string, (event: Event) => void>>
}

/** A child of an element. False and undefined add nothing. */
export type Child = Node | string | false | undefined

/** Creates an element. Strings become text, never markup. */
export const h = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { on = {}, ...attributes }: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value as string)
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener)
  element.append(...presentOnly(children))
  return element
}

const presentOnly = (children: readonly Child[]): (Node | string)[] =>
  children.filter((child): child is Node | string => child !== false && child !== undefined)

/** Sets one attribute. False and undefined remove it. */
export const setAttribute = (element: Element, name: string, value: string | number | boolean | undefined): void => {
  if (value === false || value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
}

/** Replaces the children of an element. */
export const fill = (element: Element, ...children: readonly Child[]): void =>
  element.replaceChildren(...presentOnly(children))

/** Sets a text if it differs. Setting the same text again would disturb screen readers and selections. */
export const setText = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an icon from the path `d` in a 24 x 24 grid. Screen readers ignore it. */
export const icon = (d: string): SVGElement => {
  const svg = document.createElementNS(SVG, 'svg')
  for (const [name, value] of Object.entries({ viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }))
    svg.setAttribute(name, value)
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', d)
  svg.append(path)
  return svg
}
