// Applications that do something in some runs only: `node by-run.mjs STYLE [FILE]`. A reference holds the number of its run.
import { writeFileSync } from 'node:fs'
import { startShop } from './shop.mjs'

const [, , style, file] = process.argv
const runOf = ({ reference }) => Number(/-(\d+)-\w+$/.exec(reference)?.[1])

const STYLES = {
  /** As two ways into a shop that meet now and then: in each fourth run, whatever is disturbed. */
  'loses-a-race': {
    ship(shop, order) {
      shop.usual.ship(order)
      if (runOf(order) % 4 === 3) order.shipments += 1
    },
  },
  /** It ships at each event. In the seventh run it writes a file, and answers nothing any more. */
  'hangs-in-the-seventh-run': {
    create(shop, wanted) {
      if (runOf(wanted) < 7) return shop.usual.create(wanted)
      writeFileSync(file, '')
      return new Promise(() => {})
    },
    take(shop, event) {
      const order = shop.orderOf(event)
      if (order && event.type === 'payment.succeeded') shop.ship(order)
      shop.save()
      return [200, {}]
    },
  },
}

startShop(STYLES[style])
