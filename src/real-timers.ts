import timers from 'node:timers'

/**
 * The timers and clocks of the system, taken when paysim is loaded. The build puts them in the place of the global ones, in
 * our code and in the libraries: what a test fakes for its own program must not stop the simulator beside it.
 */
export const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = timers

const { Date: SystemDate, performance: systemPerformance } = globalThis

export { SystemDate as Date }

const { now } = systemPerformance
export const performanceNow = (): number => now.call(systemPerformance)
