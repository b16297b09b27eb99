/**
 * Allowed SVG, as lists. Anything else is removed, so additions of future browsers are refused until reviewed. The names are those of
 * SVG 1.1 and 2, without scripts, foreign content, SVG fonts (they load) and metadata.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const ANIMATION_ELEMENTS = words('animate animateColor animateMotion animateTransform set')

export const ALLOWED_ELEMENTS = words(`
  a circle clipPath defs desc ellipse filter g image line linearGradient marker mask mpath path pattern polygon polyline
  radialGradient rect stop style svg switch symbol text textPath title tref tspan use view
  animate animateColor animateMotion animateTransform set
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
  feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset
  fePointLight feSpecularLighting feSpotLight feTile feTurbulence`)

/** Attributes whose value is a reference. */
export const REFERENCES = words('href xlink:href')

/** Attributes without references, or with `url(#…)` only: presentation attributes, geometry, filters, animation. */
export const ALLOWED_ATTRIBUTES = words(`
  alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters
  color-rendering cursor direction display dominant-baseline enable-background fill fill-opacity fill-rule filter
  flood-color flood-opacity font-family font-size font-size-adjust font-stretch font-style font-variant font-weight
  glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation letter-spacing lighting-color marker
  marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow paint-order pointer-events
  shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-overflow text-rendering transform
  transform-origin unicode-bidi vector-effect visibility white-space word-spacing writing-mode
  class id lang role style tabindex title type media version viewBox preserveAspectRatio zoomAndPan baseProfile
  contentStyleType requiredExtensions requiredFeatures systemLanguage xml:lang xml:space
  clipPathUnits cx cy d dx dy fr fx fy gradientTransform gradientUnits height lengthAdjust markerHeight markerUnits
  markerWidth maskContentUnits maskUnits method offset orient path pathLength patternContentUnits patternTransform
  patternUnits points r refX refY rotate rx ry side spacing spreadMethod startOffset textLength viewTarget width x x1 x2
  y y1 y2 z
  amplitude azimuth baseFrequency bias diffuseConstant divisor edgeMode elevation exponent filterRes filterUnits in in2
  intercept k1 k2 k3 k4 kernelMatrix kernelUnitLength limitingConeAngle mode numOctaves operator order pointsAtX
  pointsAtY pointsAtZ preserveAlpha primitiveUnits radius result scale seed slope specularConstant specularExponent
  stdDeviation stitchTiles surfaceScale tableValues targetX targetY xChannelSelector yChannelSelector
  accumulate additive attributeName attributeType begin by calcMode dur end fill from keyPoints keySplines keyTimes max
  min origin repeatCount repeatDur restart to values`)

/** Whether an animation may change an attribute: an allowed one that is no reference and changes neither identity nor behaviour. */
export const isAnimatable = (name: string): boolean =>
  ALLOWED_ATTRIBUTES.has(name) && !['id', 'style', 'attributeName', 'attributeType', 'begin', 'end'].includes(name)

/** `data:` URLs of raster images. */
export const RASTER_DATA = /^\s*data:image\/(?:png|jpe?g|gif|webp|avif)\s*(?:;\s*[\w=.-]+\s*)*,/i
export const SVG_DATA = /^\s*data:image\/svg\+xml\s*((?:;\s*[\w=.-]+\s*)*),/i
/** A reference inside the same document. */
export const FRAGMENT = /^\s*#[^\s"'()<>\\]+\s*$/
/** Whether a value runs script. Control characters are ignored, since browsers strip them. */
export const runsScript = (value: string): boolean =>
  /(?:java|vb|live)script:|data:text\/|data:application\//i.test(
    value.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\ufeff]/g, ''),
  )
