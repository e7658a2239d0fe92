import { RealTime } from '../../../src/engine/real-time.ts'

/** Clocks that nobody sets. To look for a jump each second would take a test of sixty faked days half a minute. */
export class SteadyTime extends RealTime {
  constructor(wall: () => number = Date.now) {
    super({ wall, monotonic: wall })
  }

  override onJump(): () => void {
    return () => {}
  }
}
