/* SPDX-License-Identifier: Apache-2.0 */
/* windows-1252 for expat, which brings UTF-8, UTF-16, ISO-8859-1 and US-ASCII itself. */
#include "base/mem.h"
#include "bpmn/ascii.h"
#include "bpmn/xml_private.h"

enum {
    FIRST_SPECIAL = 0x80,
    LAST_SPECIAL = 0x9f
};

/* 0x80 to 0x9f; the rest is Latin-1. -1: no character. */
static const int windows_1252[LAST_SPECIAL - FIRST_SPECIAL + 1] = {
    0x20ac, -1,     0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, -1,     0x017d, -1,     -1,     0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, -1,     0x017e, 0x0178};

static const char *const windows_1252_names[] = {"windows-1252", "cp1252", "cp-1252"};

int stf__xml_find_encoding(void *data, const XML_Char *name, XML_Encoding *encoding)
{
    (void)data;
    for (size_t i = 0; i < STF_COUNT_OF(windows_1252_names); i++) {
        stf_str known = stf_str_of(windows_1252_names[i]);
        stf_str asked = stf_str_of(name);
        if (asked.size == known.size && stf__ascii_has_at(asked, 0, known)) {
            for (int byte = 0; byte < 256; byte++) {
                bool is_special = byte >= FIRST_SPECIAL && byte <= LAST_SPECIAL;
                encoding->map[byte] = is_special ? windows_1252[byte - FIRST_SPECIAL] : byte;
            }
            encoding->data = NULL;
            encoding->convert = NULL;
            encoding->release = NULL;
            return XML_STATUS_OK;
        }
    }
    return XML_STATUS_ERROR;
}
