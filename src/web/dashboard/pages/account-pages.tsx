import type { FunctionComponent } from 'preact'
import { place } from '../state/router.ts'
import { Boundary } from '../ui/page.tsx'
import { AccountPage } from './account.tsx'
import { CataloguePage } from './catalogue.tsx'
import { ClockPage } from './clock.tsx'
import { DeliveryPage } from './delivery.tsx'
import { FaultsPage } from './faults.tsx'
import { NodesPage } from './nodes.tsx'
import { OverviewPage } from './overview.tsx'
import type { ListPageName, RecordPageName } from './page-names.ts'
import { PaymentPage } from './payment.tsx'
import { PaymentsPage } from './payments.tsx'
import { PayoutPage } from './payout.tsx'
import { PayoutsPage } from './payouts.tsx'
import { RequestPage } from './request.tsx'
import { RequestsPage } from './requests.tsx'
import { RulesPage } from './rules.tsx'
import { WebhooksPage } from './webhooks.tsx'

type ListPage = FunctionComponent<{ account: string }>
type RecordPage = FunctionComponent<{ account: string; id: string }>

const LISTS: Readonly<Record<ListPageName, ListPage>> = {
  overview: OverviewPage,
  payments: PaymentsPage,
  payouts: PayoutsPage,
  requests: RequestsPage,
  webhooks: WebhooksPage,
  rules: RulesPage,
  faults: FaultsPage,
  catalogue: CataloguePage,
  clock: ClockPage,
  account: AccountPage,
  nodes: NodesPage,
}

const RECORDS: Readonly<Record<RecordPageName, RecordPage>> = {
  payments: PaymentPage,
  payouts: PayoutPage,
  requests: RequestPage,
  webhooks: DeliveryPage,
}

/** If a page throws, the menu stays usable. */
export const AccountPages = ({ account }: { account: string }) => (
  <Boundary>
    <AccountPageAt account={account} />
  </Boundary>
)

function AccountPageAt({ account }: { account: string }) {
  const { page, id } = place.value
  const RecordPage = id ? pageAt(RECORDS, page) : undefined
  // The list of requests stays beside the opened one.
  const key = page === 'requests' ? page : id
  if (id && RecordPage) return <RecordPage account={account} id={id} key={key} />
  const ListPage = id ? undefined : pageAt(LISTS, page)
  if (ListPage) return <ListPage account={account} />
  return (
    <div class="empty">
      <h1>This page does not exist</h1>
      <p>The menu lists all pages.</p>
    </div>
  )
}

const pageAt = <Page,>(pages: Readonly<Record<string, Page>>, name: string): Page | undefined =>
  Object.hasOwn(pages, name) ? pages[name] : undefined
