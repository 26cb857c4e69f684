import { attachFormats, type AttachFormat, type CsvForm } from '../../core/index.ts';
import { localeOf } from '../../messages/index.ts';
import type { ReportModel } from '../compose/model.ts';
import { csvOf } from './csv.ts';
import type { DataTable } from './data.ts';
import { parquetTableOf, type ParquetTable } from './parquet.ts';
import { renderPdf } from '../pdf/render-pdf.ts';
import { xlsxOf } from './xlsx.ts';

/** The forms that are kept of each report; a PDF is built only where it is attached. */
export const dataFormats = attachFormats.filter((format) => format !== 'pdf');

export type DataFile = {
  readonly name: string;
  readonly format: AttachFormat;
  readonly contentType: string;
  readonly content: Buffer;
};

/** Writes one table as a Parquet file. */
export type WriteParquet = (table: ParquetTable) => Promise<Buffer>;

/** The media types of attachments. */
export const contentTypes: Readonly<Record<AttachFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
};

/** One file per table, as for CSV and Parquet; the figures first. */
const eachTable = async (
  name: string,
  tables: readonly DataTable[],
  format: 'csv' | 'parquet',
  write: (table: DataTable) => Promise<Buffer> | Buffer,
): Promise<readonly DataFile[]> => {
  const files: DataFile[] = [];
  for (const table of tables)
    files.push({
      name: `${name}-${table.name}.${format}`,
      format,
      contentType: contentTypes[format],
      content: await write(table),
    });
  return files;
};

/** A report as files: one per table for CSV and Parquet, one workbook for XLSX, one PDF; names begin with `name`. */
export const dataFiles = async (
  model: ReportModel,
  name: string,
  formats: readonly AttachFormat[],
  writeParquet: WriteParquet,
  csv?: CsvForm,
): Promise<readonly DataFile[]> => {
  const { data } = model;
  const tables = [data.figures, ...data.tables];
  const files: DataFile[] = [];
  for (const format of attachFormats.filter((known) => formats.includes(known))) {
    if (format === 'csv')
      files.push(...(await eachTable(name, tables, format, (table) => csvOf(table, csv))));
    else if (format === 'parquet')
      files.push(
        ...(await eachTable(name, tables, format, async (table) => writeParquet(parquetTableOf(table)))),
      );
    else
      files.push({
        name: `${name}.${format}`,
        format,
        contentType: contentTypes[format],
        content:
          format === 'pdf'
            ? await renderPdf(model)
            : await xlsxOf(data, model, localeOf(model.locale).messages.total),
      });
  }
  return files;
};
