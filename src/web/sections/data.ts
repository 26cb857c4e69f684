import { z } from 'zod';
import { sizeText, type Interval, type Money, type UnixMillis } from '../../core/index.ts';
import type { Block, Item } from '../blocks.ts';
import { section, time, timed, timeRange } from './section.ts';

export type ComparedView = {
  readonly source: string;
  readonly range: Interval<UnixMillis>;
  readonly gap: Money | 'unknown';
  readonly unit: string;
  readonly verdict: string;
  /** Unexplained or truncated: needs a person. */
  readonly bad: boolean;
  readonly text: string;
  readonly comparedAt: UnixMillis;
};

/** A gap between the log and a source that a pull found and nothing has closed. */
export type GapView = {
  readonly source: string;
  readonly range: Interval<UnixMillis>;
  readonly gap: Money | 'unknown';
  readonly unit: string;
  readonly verdict: string;
  readonly text: string;
  /** `passed`: later time agrees with the source again. */
  readonly state: 'open' | 'passed';
  readonly notedAt: UnixMillis;
};

export type AccountView = {
  readonly account: string;
  /** As configured, of the amounts that the account is charged. */
  readonly currency?: string;
  /** The part of the call log that pulls cover without a gap. */
  readonly log?: Interval<UnixMillis>;
  /** Jobs that pull data, with their watermark; `reached` is missing when a part was never pulled. */
  readonly sources: readonly {
    readonly job: string;
    readonly kind: string;
    readonly watermark?: UnixMillis | undefined;
  }[];
  readonly compared: readonly ComparedView[];
  /** Newest first. */
  readonly gaps: readonly GapView[];
  readonly moreGaps: number;
};

/** The backups of all data. Times in milliseconds UTC. */
export type BackupView = {
  readonly taken: {
    readonly name: string;
    readonly target: string;
    readonly takenAt: UnixMillis;
    readonly bytes: number;
    readonly newBytes: number;
  };
  /** The newest one whose data was restored and found equal; missing before the first drill. */
  readonly restored?: { readonly name: string; readonly drilledAt: UnixMillis } | undefined;
};

export type KeptReportView = {
  readonly job: string;
  readonly part?: string | undefined;
  readonly slot: UnixMillis;
  readonly zone: string;
  readonly subject: string;
  /** Label of the period in the report. */
  readonly period: string;
  readonly builtAt: UnixMillis;
  readonly verdict: { readonly text: string; readonly good: boolean };
  /** Why it was not sent; missing where it was. */
  readonly notSent?: string | undefined;
  /** Its folder in the archive: `daily-spend/20261121T070000.000Z`. */
  readonly place: string;
};

export type KeptReportsView = {
  /** Newest slot first. */
  readonly newest: readonly KeptReportView[];
  readonly problem?: string | undefined;
};

const rangeCells = ({ start, end }: Interval<UnixMillis>) => [
  { title: 'From', value: { at: start } },
  { title: 'To', value: { at: end } },
];

const accountItem = ({ account, log, sources }: AccountView): Item => ({
  name: account,
  cells: [
    {
      title: 'Call log',
      value: log === undefined ? 'no data pulled yet' : [{ at: log.start }, ' to ', { at: log.end }],
    },
    ...sources.map(({ job, kind, watermark }) => ({
      title: job === kind ? job : `${job} (${kind})`,
      value: watermark === undefined ? 'incomplete' : ['reaches ', { at: watermark }],
    })),
  ],
});

const comparedItem = (
  account: string,
  { source, verdict, bad, text, range: of, comparedAt }: ComparedView,
) => ({
  name: `${account}: ${source}`,
  state: { text: verdict, tone: bad ? ('bad' as const) : ('good' as const) },
  cells: [...rangeCells(of), { title: 'Compared', value: { at: comparedAt } }],
  notes: [{ text }],
  isBad: bad,
});

const gapItem = (account: string, { source, verdict, state, text, range: of, notedAt }: GapView): Item => ({
  name: `${account}: ${source}`,
  state: { text: verdict, tone: state === 'open' ? 'bad' : 'warn' },
  marks: state === 'open' ? [] : [{ text: 'passed', tone: 'quiet' }],
  cells: [...rangeCells(of), { title: 'Noted', value: { at: notedAt }, spare: 1 }],
  notes: [{ text }],
  isBad: state === 'open',
});

const gapBlocks = (accounts: readonly AccountView[]): readonly Block[] => {
  const title = 'Data that does not reconcile';
  const items = (state: GapView['state']) =>
    accounts.flatMap(({ account, gaps }) =>
      gaps.filter((gap) => gap.state === state).map((gap) => gapItem(account, gap)),
    );
  const [open, passed] = [items('open'), items('passed')];
  const more = accounts.reduce((sum, { moreGaps }) => sum + moreGaps, 0);
  return [
    ...(open.length === 0
      ? []
      : [
          {
            title,
            noun: title,
            items: open,
            notes: more === 0 ? [] : [{ text: `${more} older ones are not listed` }],
            advice: '`tollkeeper reconcile --from DAY --to DAY` compares the days with every source again',
          },
        ]),
    ...(passed.length === 0 ? [] : [{ title, on: 'page' as const, items: passed }]),
  ];
};

export const accountsSection = section({
  path: 'data.accounts',
  facts: z
    .array(
      timed<AccountView>({
        log: timeRange,
        sources: z.array(timed<AccountView['sources'][number]>({ watermark: time })),
        compared: z.array(timed<ComparedView>({ range: timeRange, comparedAt: time })),
        gaps: z.array(timed<GapView>({ range: timeRange, notedAt: time })),
      }),
    )
    .readonly(),
  ofTeam: () => [],
  blocks: (accounts, { team }) => {
    if (team !== undefined) return [];
    const compared = accounts.flatMap(({ account, compared: all }) =>
      all.map((one) => comparedItem(account, one)),
    );
    return [
      {
        title: 'Data',
        on: 'page',
        ...(accounts.length === 0 ? { notes: [{ text: 'no account is declared' }] } : {}),
        items: [...accounts.map(accountItem), ...compared],
      },
      ...gapBlocks(accounts),
    ];
  },
});

/** The URL at which the page serves an archived report. */
const linkOf = (place: string): string => `./reports/${place.split('/').map(encodeURIComponent).join('/')}`;

export const reportsSection = section({
  path: 'data.reports',
  facts: timed<KeptReportsView>({
    newest: z.array(timed<KeptReportView>({ slot: time, builtAt: time })),
  }),
  ofTeam: ({ newest }, { isOwnMail }) => ({ newest: newest.filter(({ job, part }) => isOwnMail(job, part)) }),
  blocks: ({ newest, problem }) => [
    {
      title: 'Reports',
      on: 'page',
      notes: [
        ...(newest.length === 0 ? [{ text: 'the archive contains no reports yet' }] : []),
        ...(problem === undefined ? [] : [{ text: `damaged: ${problem}`, tone: 'bad' as const }]),
      ],
      items: newest.map(({ job, part, subject, period, verdict, builtAt, notSent, place }) => ({
        name: subject,
        link: linkOf(place),
        ...(verdict.good ? {} : { state: { text: 'look', tone: 'warn' as const } }),
        cells: [
          { title: 'Job', value: part === undefined ? job : `${job}, ${part}` },
          { title: 'Period', value: period },
          { title: 'Built', value: { at: builtAt } },
        ],
        notes: [
          ...(verdict.good ? [] : [{ text: verdict.text }]),
          ...(notSent === undefined ? [] : [{ text: notSent }]),
        ],
      })),
      ...(newest.length === 0 ? {} : { advice: '`tollkeeper reports` lists all' }),
    },
  ],
});

export const backupSection = section({
  path: 'data.backup',
  facts: timed<BackupView>({
    taken: timed<BackupView['taken']>({ takenAt: time }),
    restored: timed<NonNullable<BackupView['restored']>>({ drilledAt: time }),
  }).optional(),
  blocks: (backup, { team }) => {
    if (team !== undefined) return [];
    if (backup === undefined)
      return [
        {
          title: 'Daemon',
          on: 'page',
          notes: [
            { text: 'no backup has been taken; `tollkeeper backup DIR` or a job of kind backup takes one' },
          ],
        },
      ];
    const { taken, restored } = backup;
    const size = `${sizeText(taken.bytes)}, of which ${sizeText(taken.newBytes)} were new`;
    return [
      {
        title: 'Daemon',
        notes: [
          {
            text: [
              'backup of ',
              { at: taken.takenAt },
              ` in ${taken.target}: ${size}; `,
              ...(restored === undefined
                ? ['never restored: a job of kind restore-drill proves it']
                : ['restored and equal on ', { at: restored.drilledAt }]),
            ],
          },
        ],
      },
    ];
  },
});
