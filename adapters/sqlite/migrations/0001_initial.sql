-- SPDX-License-Identifier: Apache-2.0
-- Stepfast on SQLite, schema 1. An applied migration is never edited, only followed: its checksum
-- is in stepfast_schema_version and is compared at every open.
--
-- Times are microseconds since 1970-01-01T00:00:00Z; NULL is "no time". Texts are UTF-8 and are
-- compared by bytes (collation BINARY). Groups, tenants and records have small numbers, so that
-- rows and indexes repeat an integer and not a name.

-- Engine groups. A group is registered once and never removed.
CREATE TABLE stepfast_groups (
    group_no INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL
);

-- Tenants of a group, registered on first use. At most one is the group's default: the flag
-- designates it, not its name.
CREATE TABLE stepfast_tenants (
    tenant_no INTEGER PRIMARY KEY,
    group_no INTEGER NOT NULL REFERENCES stepfast_groups (group_no),
    tenant_id TEXT NOT NULL,
    display_name TEXT NOT NULL DEFAULT '',
    is_default INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    UNIQUE (group_no, tenant_id)
);
CREATE UNIQUE INDEX stepfast_tenants_default ON stepfast_tenants (group_no) WHERE is_default = 1;

-- One row per record. rec_version and attempt are what a save compares. No CHECK on status: a
-- number that this version does not know is kept. The bulk part is in stepfast_bulks, because an
-- UPDATE of a row rewrites its overflow pages. The lease's expiry is in no index, so a renewal
-- writes the row's page and nothing else.
CREATE TABLE stepfast_instances (
    instance_no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    group_no INTEGER NOT NULL REFERENCES stepfast_groups (group_no),
    tenant_no INTEGER NOT NULL REFERENCES stepfast_tenants (tenant_no),
    rec_version INTEGER NOT NULL,
    attempt BLOB NOT NULL,
    status INTEGER NOT NULL,
    owner TEXT,
    incarnation INTEGER NOT NULL,
    lease_expiry INTEGER,
    due INTEGER,
    wait_count INTEGER NOT NULL,
    bulk_bytes INTEGER NOT NULL,
    label_key TEXT NOT NULL,
    label_version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    head BLOB NOT NULL
);

-- What has not ended: listings, and definitions that are pinned. Status 1 is completed, 2 terminated.
CREATE INDEX stepfast_instances_in_flight ON stepfast_instances (group_no, id)
    WHERE status NOT IN (1, 2);
-- What somebody holds: orphan pages. Few rows: parked records have no owner.
CREATE INDEX stepfast_instances_owned ON stepfast_instances (group_no, id, owner)
    WHERE owner IS NOT NULL AND status NOT IN (1, 2);
-- What wakes by itself: due pages.
CREATE INDEX stepfast_instances_due ON stepfast_instances (group_no, due, id)
    WHERE due IS NOT NULL AND status NOT IN (1, 2);

-- The large, rarely new part of a payload; no row when it is empty.
CREATE TABLE stepfast_bulks (
    instance_no INTEGER PRIMARY KEY REFERENCES stepfast_instances (instance_no),
    bulk BLOB NOT NULL
);

-- What records wait for, in the record's order. The key is bytes: message keys contain a NUL. The
-- group and the record's id are repeated for the index, which gives waiting pages their order.
CREATE TABLE stepfast_waits (
    instance_no INTEGER NOT NULL REFERENCES stepfast_instances (instance_no),
    position INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    key BLOB NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    group_no INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (instance_no, position)
) WITHOUT ROWID;
CREATE INDEX stepfast_waits_find ON stepfast_waits (group_no, kind, key, since, id);

-- History rows that saves carry: version is the rec_version that the save made.
CREATE TABLE stepfast_journal (
    instance_no INTEGER NOT NULL REFERENCES stepfast_instances (instance_no),
    version INTEGER NOT NULL,
    position INTEGER NOT NULL,
    fact INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    activation INTEGER NOT NULL,
    at INTEGER NOT NULL,
    element TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (instance_no, version, position)
) WITHOUT ROWID;

-- Deployed files. A removed one keeps its row with file NULL, so that its version is never given
-- to another file: engines cache what a version means.
CREATE TABLE stepfast_definitions (
    definition_no INTEGER PRIMARY KEY,
    tenant_no INTEGER NOT NULL REFERENCES stepfast_tenants (tenant_no),
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    deployed INTEGER NOT NULL,
    file BLOB,
    UNIQUE (tenant_no, key, version)
);
