/* SPDX-License-Identifier: Apache-2.0 */
/* JSON and CBOR from strangers. JSON that parses is written and parsed again: an equal value, and
 * the same text from then on. CBOR that decodes is encoded again: the very bytes, because there is
 * one encoding of a value only. The first byte chooses: below 'A' CBOR, else JSON. */
#include <stdlib.h>
#include <stepfast/value.h>
#include <string.h>

#include "value/cbor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

static stf_str written(const stf_value *value, bool pretty, stf_buf *buf)
{
    stf_buf_init(buf, NULL);
    demand(stf_value_write_json(value, pretty, buf, NULL) == STF_OK);
    return stf_buf_str(buf);
}

static void check_json(stf_str text)
{
    stf_value *value = NULL;
    stf_error error = STF_ERROR_INIT;
    stf_status status = stf_value_parse_json(NULL, text, &value, &error);
    if (status != STF_OK) {
        demand(status == STF_PARSE || status == STF_LIMIT_EXCEEDED);
        demand(error.message[0] != '\0' && value == NULL);
        return;
    }
    for (int pretty = 0; pretty <= 1; pretty++) {
        stf_buf first;
        stf_buf second;
        stf_value *again = NULL;
        demand(stf_value_parse_json(NULL, written(value, pretty, &first), &again, NULL) == STF_OK);
        demand(stf_value_equal(value, again));
        demand(stf_str_equal(written(again, pretty, &second), stf_buf_str(&first)));
        stf_value_unref(again);
        stf_buf_done(&second);
        stf_buf_done(&first);
    }
    stf_value_unref(value);
}

static void check_cbor(stf_bytes bytes)
{
    stf__cbor_reader reader;
    stf__cbor_reader_init(&reader, bytes);
    stf_value *value = stf__cbor_get_value(&reader, NULL);
    if (stf__cbor_reader_finish(&reader) == STF_OK) {
        stf_buf buf;
        stf_buf_init(&buf, NULL);
        stf__cbor_writer writer = {.buf = &buf, .status = STF_OK};
        stf__cbor_put_value(&writer, value);
        demand(writer.status == STF_OK && buf.size == bytes.size);
        demand(memcmp(buf.data, bytes.data, bytes.size) == 0);
        stf_buf_done(&buf);
    }
    stf_value_unref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    if (data[0] < 'A') {
        check_cbor((stf_bytes){data + 1, size - 1});
    } else {
        check_json((stf_str){(const char *)data + 1, size - 1});
    }
    return 0;
}
