import { startRoom } from '../rooms/room.ts'

export function start(): void {
  startRoom(document.querySelector('.room')!)
}
