import { fault, parseMailbox, type Clock, type Progress } from '../../core/index.ts';
import type { CommandInput } from '../../control/index.ts';
import { runDoctor, type DoctorRequest, type DoctorView } from '../../doctor/index.ts';
import {
  builtFiles,
  composeReport,
  compressed,
  exportFocus,
  runQuery,
  testMail,
  type CompressedFile,
  type ExportedMonth,
  type QueryAnswer,
} from '../../jobs/index.ts';
import { sendNow } from '../../notify/index.ts';
import type { Channels } from '../notifications/channels.ts';
import { backtestRequested, type BacktestView } from '../queries/backtest-requested.ts';
import { reconcileRequested, type ReconcileView } from '../queries/reconcile-requested.ts';
import type { Contexts } from './contexts.ts';

export type BuiltReport = {
  readonly subject: string;
  readonly files: readonly ({ readonly name: string } & (
    | { readonly text: string }
    | { readonly base64: string }
  ))[];
  readonly warnings: readonly { readonly message: string; readonly advice: string }[];
  /** What the mail server answered to the test mail. */
  readonly mailed?: { readonly recipient: string; readonly response: string };
};

export type Answers<Request, Answer> = (
  request: Request,
  progress: Progress,
  signal: AbortSignal,
) => Promise<Answer>;

/** What people and assistants ask for, outside of any schedule. */
export type Requests = {
  readonly composeReport: Answers<CommandInput<'report'>, BuiltReport>;
  readonly focus: Answers<CommandInput<'focus'>, ExportedMonth<CompressedFile>>;
  readonly backtest: Answers<CommandInput<'backtest'>, BacktestView>;
  readonly doctor: Answers<DoctorRequest, Omit<DoctorView, 'version'>>;
  readonly query: Answers<CommandInput<'query'>, QueryAnswer & { readonly zone: string }>;
  readonly reconcile: Answers<CommandInput<'reconcile'>, ReconcileView>;
};

type RequestsDeps = {
  readonly contexts: Contexts;
  readonly channels: Pick<Channels, 'transport' | 'messageDefaults'>;
  readonly doctor: Parameters<typeof runDoctor>[1];
  readonly clock: Clock;
};

export const createRequests = ({ contexts, channels, doctor, clock }: RequestsDeps): Requests => ({
  composeReport: async (request, progress, signal) => {
    const { transport, messageDefaults } = channels;
    const context = contexts.ofRequest(request.report, request, progress, signal);
    const { report, attach = [], mailTo: to } = request;
    if (to !== undefined && transport === undefined)
      throw fault('mail-not-configured', 'no mail server is configured');
    if (to !== undefined && parseMailbox(to) === undefined)
      throw fault('mail-address-invalid', `${JSON.stringify(to)} is not one mail address`);
    const composed = await composeReport(
      { ...request, defaultPeriod: 'last-month', isPreview: true },
      context,
    );
    const built = {
      subject: composed.rendered.subject,
      files: await builtFiles(composed, report, attach, context),
      warnings: composed.model.warnings,
    };
    if (to === undefined || transport === undefined) return built;
    progress({ step: 'sending the test mail', detail: to });
    const mail = await testMail(composed, { report, attach, to }, context);
    const [mailed] = await sendNow({ transport, messageDefaults, clock }, mail, signal);
    return { ...built, subject: mail.subject, ...(mailed === undefined ? {} : { mailed }) };
  },
  focus: (request, progress, signal) =>
    exportFocus(request, contexts.ofRequest('focus', request, progress, signal), compressed),
  backtest: (request, progress, signal) =>
    backtestRequested(contexts.ofRequest('backtest', request, progress, signal)),
  doctor: (request, progress, signal) => runDoctor(request, doctor, progress, signal),
  query: async (request, progress, signal) => {
    const context = contexts.ofRequest('query', request, progress, signal);
    return { ...(await runQuery(request, context)), zone: context.zone };
  },
  reconcile: async (request, progress, signal) =>
    reconcileRequested(request, contexts.ofRequest('reconcile', request, progress, signal)),
});
