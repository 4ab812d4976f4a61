-- Nobody sees a project without being in it, owners and admins no less: a project that was made changes nobody's access
-- before they are put into it, which says so by itself.
DROP TRIGGER project_made;
