import { crc32, deflateSync } from 'node:zlib'

/** The strokes of a W in the unit square. */
const strokes = [
  [0.24, 0.32, 0.37, 0.68],
  [0.37, 0.68, 0.5, 0.4],
  [0.5, 0.4, 0.63, 0.68],
  [0.63, 0.68, 0.76, 0.32],
]
const halfStroke = 0.045
const cornerRadius = 0.2
const background = [0x2b, 0x57, 0x97]

/**
 * @param {number} size in pixels
 * @param {boolean} isMaskable whether the background fills the corners, which the system cuts
 */
export function appIcon(size, isMaskable) {
  const rows = Buffer.alloc(size * (1 + 4 * size))
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const [x, y] = [(column + 0.5) / size, (row + 0.5) / size]
      const white = coverage(halfStroke - distanceToStrokes(x, y), size)
      const alpha = isMaskable ? 1 : coverage(-distanceToSquare(x, y), size)
      const pixel = background.map((part) => Math.round(part + (255 - part) * white))
      rows.set([...pixel, Math.round(255 * alpha)], row * (1 + 4 * size) + 1 + 4 * column)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // 8 bits per channel, RGBA.
  header.set([8, 6, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = deflateSync(rows, { level: 9 })
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** How much of a pixel is covered. @param {number} depth within the shape @param {number} size */
const coverage = (depth, size) => Math.min(1, Math.max(0, depth * size + 0.5))

/** @param {number} x @param {number} y */
function distanceToStrokes(x, y) {
  const distances = strokes.map(([x1, y1, x2, y2]) => {
    const [width, height] = [x2 - x1, y2 - y1]
    const along = ((x - x1) * width + (y - y1) * height) / (width * width + height * height)
    const nearest = Math.min(1, Math.max(0, along))
    return Math.hypot(x - x1 - nearest * width, y - y1 - nearest * height)
  })
  return Math.min(...distances)
}

/** The signed distance to the rounded square, negative inside. @param {number} x @param {number} y */
function distanceToSquare(x, y) {
  const inner = 0.5 - cornerRadius
  const [right, down] = [Math.abs(x - 0.5) - inner, Math.abs(y - 0.5) - inner]
  const outside = Math.hypot(Math.max(right, 0), Math.max(down, 0))
  return outside + Math.min(Math.max(right, down), 0) - cornerRadius
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const typeAndData = Buffer.concat([Buffer.from(type), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(typeAndData) >>> 0)
  return Buffer.concat([length, typeAndData, sum])
}
