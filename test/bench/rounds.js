/**
 * Measures each contender in turn, round after round (A B A B …), so that disturbances affect all equally. A contender
 * is a name and a function that resolves to one sample.
 */
export async function inTurn(contenders, rounds) {
  const samples = Object.fromEntries(Object.keys(contenders).map(name => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const [name, measure] of Object.entries(contenders)) samples[name].push(await measure())
  return samples
}

export function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * A line of the table: ours as a ratio to the other's, with how far single rounds were apart. Where it is known how
 * long a processor was busy for each sample, that ratio too: who else uses the machine hardly changes it.
 */
export function compare(name, { ours, other, unit, atLeast, atMost }) {
  const ratios = ours.map(({ measured }, round) => measured / other[round].measured)
  return {
    name,
    unit,
    ours: middle(ours, 'measured'),
    other: middle(other, 'measured'),
    ratio: middle(ours, 'measured') / middle(other, 'measured'),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    busy: { ours: middle(ours, 'busy'), other: middle(other, 'busy') },
    busyRatio: middle(ours, 'busy') / middle(other, 'busy'),
    atLeast,
    atMost,
  }
}

const middle = (samples, field) => median(samples.map(sample => sample[field]))

const SLACK = 0.2

/** Whether a line misses its target by more than the noise of this machine. */
export const misses = ({ ratio, atLeast, atMost }) =>
  (atLeast !== undefined && ratio < atLeast * (1 - SLACK)) ||
  (atMost !== undefined && ratio > atMost * (1 + SLACK))
