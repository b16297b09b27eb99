/** Actions of gestures. Positions and distances are px; positions start at the centre of the stage. */
export interface Gestures {
  /** Whether dragging moves the image instead of the divider. */
  readonly movesImage: () => boolean
  /** Moves the divider to this fraction of the stage's width. */
  readonly split: (fraction: number) => void
  /** Moves the image. */
  readonly pan: (dx: number, dy: number) => void
  /** Multiplies the scale by a factor, around a position. */
  readonly zoom: (factor: number, at: { x: number; y: number }) => void
}

interface Finger {
  readonly x: number
  readonly y: number
}

const distance = ([one, other]: readonly Finger[]): number => Math.hypot(one!.x - other!.x, one!.y - other!.y)
const middle = ([one, other]: readonly Finger[]): Finger => ({ x: (one!.x + other!.x) / 2, y: (one!.y + other!.y) / 2 })

/** Handles mouse, pen and fingers. One pointer drags the divider or the image. Two pointers, or the wheel with Ctrl, zoom. */
export const watchGestures = (stage: HTMLElement, divider: HTMLElement, act: Gestures): void => {
  const fingers = new Map<number, Finger>()
  let dragsDivider = false

  const fromMiddle = ({ x, y }: Finger): Finger => {
    const box = stage.getBoundingClientRect()
    return { x: x - box.left - box.width / 2, y: y - box.top - box.height / 2 }
  }
  const splitAt = ({ x }: Finger): void => {
    const box = stage.getBoundingClientRect()
    act.split((x - box.left) / box.width)
  }

  stage.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    const finger = { x: event.clientX, y: event.clientY }
    if (fingers.size === 0) {
      dragsDivider = divider.contains(event.target as Node) || !act.movesImage()
      if (dragsDivider) splitAt(finger)
    }
    fingers.set(event.pointerId, finger)
    stage.setPointerCapture(event.pointerId)
  })
  stage.addEventListener('pointermove', (event) => {
    const old = fingers.get(event.pointerId)
    if (old === undefined) return
    const before = [...fingers.values()]
    const now = { x: event.clientX, y: event.clientY }
    fingers.set(event.pointerId, now)
    if (fingers.size === 2) {
      const after = [...fingers.values()]
      act.zoom(distance(after) / Math.max(1, distance(before)), fromMiddle(middle(after)))
    } else if (dragsDivider) splitAt(now)
    else act.pan(now.x - old.x, now.y - old.y)
  })
  const release = (event: PointerEvent): void => void fingers.delete(event.pointerId)
  stage.addEventListener('pointerup', release)
  stage.addEventListener('pointercancel', release)
  stage.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      act.zoom(Math.exp(-event.deltaY / 300), fromMiddle({ x: event.clientX, y: event.clientY }))
    },
    { passive: false },
  )
}
