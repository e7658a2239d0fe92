import { RealTime } from '../../../src/engine/time/real-time.ts'

/** Clocks that never jump. Checking for a jump each second would take half a minute in a test of sixty faked days. */
export class SteadyTime extends RealTime {
  constructor(wall: () => number = Date.now) {
    super({ wall, monotonic: wall })
  }

  override onJump(): () => void {
    return () => {}
  }
}
