/** Attributes of an element. `on` has listeners by event name. False and undefined omit an attribute. */
export interface Attributes {
  readonly on?: Readonly<Record<string, (event: Event) => void>>
  readonly [name: string]: string | number | boolean | undefined | Readonly<Record<string, (event: Event) => void>>
}

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
  element.append(...given(children))
  return element
}

const given = (children: readonly Child[]): (Node | string)[] =>
  children.filter((child): child is Node | string => child !== false && child !== undefined)

/** Sets one attribute. False and undefined remove it. */
export const setAttribute = (element: Element, name: string, value: string | number | boolean | undefined): void => {
  if (value === false || value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
}

/** Replaces the children of an element. */
export const fill = (element: Element, ...children: readonly Child[]): void =>
  element.replaceChildren(...given(children))

/** Sets a text only if it changes, which would disturb screen readers and selections. */
export const setText = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}

const SVG = 'http://www.w3.org/2000/svg'

/** An icon of 24 x 24, hidden from screen readers. `d`: its path. */
export const icon = (d: string): SVGElement => {
  const svg = document.createElementNS(SVG, 'svg')
  for (const [name, value] of Object.entries({ viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }))
    svg.setAttribute(name, value)
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', d)
  svg.append(path)
  return svg
}
