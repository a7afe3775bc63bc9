/** The filters of jinja2 3.1; those that are not run here are refused when a template comes to them. */
export const KNOWN_FILTERS: ReadonlySet<string> = new Set(
  "abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format groupby indent int items join last length list lower map max min pprint random reject rejectattr replace reverse round safe select selectattr slice sort string striptags sum title tojson trim truncate unique upper urlencode urlize wordcount wordwrap xmlattr".split(
    " ",
  ),
);

/** The tests of jinja2 3.1, all of which are run. */
export const KNOWN_TESTS: ReadonlySet<string> = new Set(
  "boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in integer iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper == != < <= > >=".split(
    " ",
  ),
);
