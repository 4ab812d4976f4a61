-- Where a letter goes; null: to the present address of its member.
ALTER TABLE mail_outbox ADD COLUMN address TEXT;

-- Whichever process changes a mail address, no link that was mailed to the former one signs anybody in.
CREATE TRIGGER member_address_changed AFTER UPDATE OF email ON members WHEN new.email <> old.email BEGIN
  DELETE FROM signin_links WHERE member_id = new.id;
END;
