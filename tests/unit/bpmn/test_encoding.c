/* SPDX-License-Identifier: Apache-2.0 */
/* The encodings of a file; names always come out as UTF-8. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define BODY(name)                                                                                 \
    BPMN_NS "><process id='p' isExecutable='true'><task id='t' name='" name                        \
            "'/></process></definitions>"

/* One task, named "Pr\u00fcfen \u20ac" where the encoding has the euro sign. */
static const struct {
    const char *xml;
    const char *name;
} eight_bits[] = {
    {"<definitions " BODY("Pr\xc3\xbc"
                          "fen \xe2\x82\xac"),
     "Pr\xc3\xbc"
     "fen \xe2\x82\xac"},
    {"\xef\xbb\xbf<definitions " BODY("Pr\xc3\xbc"
                                      "fen"),
     "Pr\xc3\xbc"
     "fen"},
    {"<?xml version='1.0' encoding='utf-8'?><definitions " BODY("\xc3\xbc"), "\xc3\xbc"},
    {"<?xml version='1.0' encoding='ISO-8859-1'?><definitions " BODY("Pr\xfc"
                                                                     "fen"),
     "Pr\xc3\xbc"
     "fen"},
    {"<?xml version='1.0' encoding='US-ASCII'?><definitions " BODY("&#xfc;"), "\xc3\xbc"},
    {"<?xml version='1.0' encoding='windows-1252'?><definitions " BODY("Pr\xfc"
                                                                       "fen \x80"),
     "Pr\xc3\xbc"
     "fen \xe2\x82\xac"},
    {"<?xml version='1.0' encoding='Windows-1252'?><definitions " BODY("\x9f\xff"),
     "\xc5\xb8\xc3\xbf"},
    {"<?xml version='1.0' encoding='cp1252'?><definitions " BODY("\x93\x94"),
     "\xe2\x80\x9c\xe2\x80\x9d"},
};

STF_TEST(names_come_out_as_utf8_from_every_eight_bit_encoding)
{
    for (size_t i = 0; i < STF_COUNT_OF(eight_bits); i++) {
        fixture file;
        fixture_load(&file, eight_bits[i].xml);
        STF_CHECK_STR(fixture_node(&file, "t")->name, eight_bits[i].name);
        fixture_done(&file);
    }
}

static void widen(stf_buf *buf, const char *ascii, bool is_big)
{
    for (size_t i = 0; ascii[i] != '\0'; i++) {
        /* '$' stands for the euro sign. */
        unsigned unit = ascii[i] == '$' ? 0x20acu : (unsigned char)ascii[i];
        uint8_t low = (uint8_t)(unit & 0xffu);
        uint8_t high = (uint8_t)(unit >> 8);
        uint8_t pair[2] = {is_big ? high : low, is_big ? low : high};
        ck_assert_int_eq(stf_buf_append(buf, pair, 2), STF_OK);
    }
}

STF_TEST(utf16_with_a_byte_order_mark_is_read_in_both_orders)
{
    for (int is_big = 0; is_big < 2; is_big++) {
        stf_buf buf;
        stf_buf_init(&buf, NULL);
        ck_assert_int_eq(stf_buf_append(&buf, is_big ? "\xfe\xff" : "\xff\xfe", 2), STF_OK);
        widen(&buf, "<?xml version='1.0' encoding='UTF-16'?>\n<definitions " BODY("a $"),
              is_big != 0);
        fixture file;
        fixture_load_bytes(&file, buf.data, buf.size);
        STF_CHECK_STR(fixture_node(&file, "t")->name, "a \xe2\x82\xac");
        ck_assert_uint_eq(fixture_node(&file, "t")->line, 2);
        fixture_done(&file);
        stf_buf_done(&buf);
    }
}

STF_TEST(bytes_that_windows_1252_does_not_define_are_refused)
{
    static const char undefined[] = "\x81\x8d\x8f\x90\x9d";
    for (size_t i = 0; i < sizeof(undefined) - 1; i++) {
        char xml[300];
        (void)snprintf(xml, sizeof(xml),
                       "<?xml version='1.0' encoding='windows-1252'?>\n<definitions " BODY("%c"),
                       undefined[i]);
        fixture file;
        fixture_load(&file, xml);
        fixture_expect(&file, STF_SEVERITY_ERROR, 2, "", "xml.encoding");
        fixture_done(&file);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(names_come_out_as_utf8_from_every_eight_bit_encoding),
    STF_CASE(utf16_with_a_byte_order_mark_is_read_in_both_orders),
    STF_CASE(bytes_that_windows_1252_does_not_define_are_refused),
};

STF_TEST_MAIN("bpmn/encoding", cases)
