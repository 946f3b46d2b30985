# A dialog that opens before it is known whether its reader may read what it is about.

opening-title = One moment
opening-text = Request { $code }: Placet asks whether you may read it. It appears here.
opening-refused-title = Not shown
