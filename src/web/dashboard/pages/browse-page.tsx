import type { ComponentChildren } from 'preact'
import { humanise } from '../format.ts'
import type { ListCall, RowOf } from '../state/list-source.ts'
import { addressOf, place } from '../state/router.ts'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/panel.tsx'
import { type ListColumn, VirtualList } from '../ui/virtual-list.tsx'
import { allRows, ExportList } from './export-list.tsx'
import { ChoiceFilter, ClearFilters, DateFilter, type Filter, SearchFilter, TextFilter } from './filters.tsx'
import type { RecordPageName } from './page-names.ts'

interface BrowsePageProps<C extends ListCall> {
  readonly account: string
  /** The kind of changes that affect it, and the page that a row opens. */
  readonly page: RecordPageName
  readonly call: C
  /** What its rows show. */
  readonly label: { readonly one: string; readonly many: string }
  /** What can be searched for. */
  readonly search: string
  readonly filters: readonly Filter[]
  /** Those that are rarely needed. */
  readonly more: readonly Filter[]
  readonly columns: readonly ListColumn<RowOf<C>>[]
  /** The row as text, for screen readers. */
  readonly nameOf: (row: RowOf<C>) => readonly (string | number | null)[]
  /** Shown while there is no record at all. */
  readonly none: ComponentChildren
  readonly actions: ComponentChildren
  /** What can be done with all that the filters leave. */
  readonly withAll?: (query: string) => ComponentChildren
  /** What stands above the list. */
  readonly children?: ComponentChildren
}

/** A page of records, of which the server has any number: searched, filtered, and saved as a file. */
export function BrowsePage<C extends ListCall>(props: BrowsePageProps<C>) {
  const { account, page, call, label, search, filters, more, columns, nameOf, none } = props
  const rare = [...more.map(({ name }) => name), 'created_after', 'created_before']
  const names = ['q', ...filters.map(({ name }) => name), ...rare]
  const given = names.flatMap(name => {
    const value = place.value.query.get(name)
    return value ? [[name, value]] : []
  })
  const query = new URLSearchParams(given).toString()
  const used = rare.filter(name => place.value.query.has(name)).length
  return (
    <Page title={humanise(page)} fills actions={props.actions}>
      {props.children}
      <search class="filters">
        <SearchFilter hint={search} />
        {filters.map(filter => (
          <ChoiceFilter key={filter.name} {...filter} />
        ))}
        <details class="more-filters">
          <summary class="button plain">More{used > 0 ? ` (${used})` : ''}</summary>
          <div class="popover">
            {more.map(filter =>
              filter.options ? (
                <ChoiceFilter key={filter.name} {...filter} />
              ) : (
                <TextFilter key={filter.name} {...filter} />
              ),
            )}
            <DateFilter name="created_after" label="Created from" />
            <DateFilter name="created_before" label="Created before" />
          </div>
        </details>
        <ClearFilters names={names} />
        <ExportList
          name={call.slice(call.lastIndexOf('/') + 1)}
          read={onRead => allRows(call, account, query, onRead)}
        >
          {props.withAll?.(query)}
        </ExportList>
      </search>
      <VirtualList
        label={label}
        call={call}
        account={account}
        query={query}
        about={[page]}
        columns={columns}
        hrefOf={({ id }) => addressOf(account, page, id)}
        nameOf={row => nameOf(row).filter(Boolean).join(', ')}
        empty={
          query === '' ? (
            none
          ) : (
            <Empty title={`No matching ${label.many}`}>
              <p>Remove a filter, or search for another part of the reference.</p>
            </Empty>
          )
        }
      />
    </Page>
  )
}
