/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over the files of a folder, for compilers without libFuzzer: every input that
 * once failed stays a test. A folder without files is a failure: nothing was tested. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is copied to a block of exactly its size, so that ASan sees an overrun of one byte. */
static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return EXIT_FAILURE;
    }
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (size < 0 || data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        free(data);
        fclose(file);
        return EXIT_FAILURE;
    }
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
        return EXIT_FAILURE;
    }
    size_t count = 0;
    int result = EXIT_SUCCESS;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
        if (run_file(path) != EXIT_SUCCESS) {
            result = EXIT_FAILURE;
        }
        count++;
    }
    closedir(folder);
    printf("%zu inputs\n", count);
    return count > 0 ? result : EXIT_FAILURE;
}
