import type { CsvForm } from '../../core/index.ts';
import { localeOf } from '../../messages/index.ts';
import type { ReportModel } from '../compose/model.ts';
import { csvOf } from './csv.ts';
import type { DataTable } from './data.ts';
import { parquetTableOf, type ParquetTable } from './parquet.ts';
import { xlsxOf } from './xlsx.ts';

export const dataFormats = ['csv', 'xlsx', 'parquet'] as const;
export type DataFileFormat = (typeof dataFormats)[number];

export type DataFile = {
  readonly name: string;
  readonly format: DataFileFormat;
  readonly contentType: string;
  readonly content: Buffer;
};

/** Writes one table as a Parquet file. */
export type WriteParquet = (table: ParquetTable) => Promise<Buffer>;

const contentTypes: Readonly<Record<DataFileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
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

/** The data of a report as files: one per table for CSV and Parquet, one workbook for XLSX; names begin with `name`. */
export const dataFiles = async (
  model: ReportModel,
  name: string,
  formats: readonly DataFileFormat[],
  writeParquet: WriteParquet,
  csv?: CsvForm,
): Promise<readonly DataFile[]> => {
  const { data } = model;
  const tables = [data.figures, ...data.tables];
  const files: DataFile[] = [];
  for (const format of dataFormats.filter((known) => formats.includes(known))) {
    if (format === 'csv')
      files.push(...(await eachTable(name, tables, format, (table) => csvOf(table, csv))));
    else if (format === 'parquet')
      files.push(
        ...(await eachTable(name, tables, format, async (table) => writeParquet(parquetTableOf(table)))),
      );
    else
      files.push({
        name: `${name}.xlsx`,
        format,
        contentType: contentTypes.xlsx,
        content: await xlsxOf(data, model, localeOf(model.locale).messages.total),
      });
  }
  return files;
};
